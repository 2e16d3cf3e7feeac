-- Creates operations, each with its names, its first steps and its reservations; see
-- sharedcreate.go. It leaves out an operation whose identity or name at its party is known,
-- one for which a quota has no room, and one whose message is spent. If another transaction
-- takes a name, the room or the message at the same moment, or there is room for some of several operations only, the statement
-- fails as a whole.
WITH given AS MATERIALIZED (
    SELECT place, id,
        ($2::TEXT[])[place] AS caller, ($3::TEXT[])[place] AS identity, ($4::TEXT[])[place] AS route,
        ($5::BYTEA[])[place] AS fingerprint, ($6::TEXT[])[place] AS merchant, ($7::TEXT[])[place] AS terminal,
        ($8::TEXT[])[place] AS tid, ($9::TEXT[])[place] AS kind, ($10::BIGINT[])[place] AS amount,
        ($11::TEXT[])[place] AS aadhaar, ($12::TEXT[])[place] AS iin, ($13::TEXT[])[place] AS reference,
        ($14::TEXT[])[place] AS stan, ($15::TEXT[])[place] AS state, ($16::TEXT[])[place] AS node,
        ($17::BIGINT[])[place] AS not_after, ($18::BIGINT[])[place] AS created_at, ($19::TEXT[])[place] AS party,
        ($20::TEXT[])[place] AS caller_ref, ($21::TEXT[])[place] AS sender, ($22::BIGINT[])[place] AS sent_at,
        ($23::BIGINT[])[place] AS bank_not_after
    FROM unnest($1::TEXT[]) WITH ORDINALITY AS o (id, place)
),
given_quotas AS MATERIALIZED (
    SELECT place,
        ($25::TEXT[])[i] AS key, ($26::TEXT[])[i] AS period, ($27::BIGINT[])[i] AS amount, ($28::BIGINT[])[i] AS max_count,
        ($29::BIGINT[])[i] AS max_sum
    FROM unnest($24::BIGINT[]) WITH ORDINALITY AS q (place, i)
),
full_quotas AS MATERIALIZED (
    SELECT place FROM given_quotas AS q
    WHERE (SELECT q.max_count > 0 AND u.count >= q.max_count OR q.max_sum > 0 AND u.sum > q.max_sum - q.amount
        FROM quota_usage AS u WHERE u.key = q.key AND u.period = q.period)
),
given_messages AS MATERIALIZED (
    SELECT place, ($32::TEXT[])[i] AS vendor_key, ($33::BYTEA[])[i] AS iv, ($34::BIGINT[])[i] AS expires_at
    FROM unnest($31::BIGINT[]) WITH ORDINALITY AS m (place, i)
),
spent_messages AS MATERIALIZED (
    SELECT place FROM given_messages AS m
    WHERE (SELECT true FROM gateway_messages AS g WHERE g.vendor_key = m.vendor_key AND g.iv = m.iv)
),
new_identities AS (
    INSERT INTO identities (caller, identity, operation)
    SELECT caller, identity, id FROM given AS o
    WHERE (caller_ref = '' OR (SELECT id FROM operation_names AS n WHERE n.party = o.party AND n.caller_ref = o.caller_ref LIMIT 1) IS NULL)
        AND place NOT IN (SELECT place FROM full_quotas)
        AND place NOT IN (SELECT place FROM spent_messages)
    ORDER BY caller COLLATE "C", identity COLLATE "C"
    ON CONFLICT (caller, identity) DO NOTHING
    RETURNING operation
),
new AS MATERIALIZED (
    SELECT o.* FROM given AS o WHERE o.id IN (SELECT operation FROM new_identities)
),
new_messages AS (
    INSERT INTO gateway_messages (vendor_key, iv, expires_at)
    SELECT m.vendor_key, m.iv, m.expires_at FROM given_messages AS m JOIN new ON new.place = m.place
),
new_names AS (
    INSERT INTO operation_names (id, created_at, reference, party, caller_ref, attempt)
    SELECT id, created_at, reference, nullif(party, ''), nullif(caller_ref, ''), 1 FROM new
),
new_operations AS (
    INSERT INTO operations (id, caller, identity, route, fingerprint, merchant, terminal, tid,
        kind, amount, aadhaar, iin, reference, stan, state, node,
        not_after, created_at, party, caller_ref, sender, sent_at, bank_not_after)
    SELECT id, caller, identity, route, fingerprint, nullif(merchant, ''), nullif(terminal, ''), tid,
        kind, amount, aadhaar, iin, reference, stan, state, node,
        nullif(not_after, 0), created_at, nullif(party, ''), nullif(caller_ref, ''), nullif(sender, ''), nullif(sent_at, 0), nullif(bank_not_after, 0)
    FROM new
),
new_steps AS (
    INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
    SELECT id, 1, created_at, $30::TEXT, '', 'received', '' FROM new
    UNION ALL
    SELECT id, 2, sent_at, $30::TEXT, 'received', 'sent', '' FROM new WHERE state = 'sent'
),
new_quotas AS MATERIALIZED (
    SELECT new.id, q.* FROM new JOIN given_quotas AS q ON q.place = new.place
),
-- In one order, so that no two transactions wait for each other.
used AS (
    INSERT INTO quota_usage (key, period, count, sum)
    SELECT key, period, count(*), sum(amount)::BIGINT FROM new_quotas GROUP BY key, period
    ORDER BY key COLLATE "C", period COLLATE "C"
    ON CONFLICT (key, period) DO UPDATE SET count = quota_usage.count + excluded.count, sum = quota_usage.sum + excluded.sum
    RETURNING key, period, count, sum
),
new_reservations AS (
    INSERT INTO reservations (operation, key, period, amount)
    SELECT id, key, period, amount FROM new_quotas
)
SELECT place FROM new
WHERE NOT EXISTS (SELECT 1 FROM used JOIN new_quotas AS q ON q.key = used.key AND q.period = used.period
    WHERE q.max_count > 0 AND used.count > q.max_count OR q.max_sum > 0 AND used.sum > q.max_sum)
OR refuse_statement('a quota has no room')
