-- The portal: people of vendors are members, too. NULL: of the console's staff

ALTER TABLE staff ADD COLUMN vendor TEXT REFERENCES vendors (id);

CREATE INDEX staff_of_vendor ON staff (coalesce(vendor, ''), login);

CREATE TRIGGER staff_vendor_immutable BEFORE UPDATE ON staff FOR EACH ROW
WHEN (NEW.vendor IS DISTINCT FROM OLD.vendor)
EXECUTE FUNCTION refuse('a member stays with its vendor');
