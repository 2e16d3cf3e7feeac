package generate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// resolve follows a reference to a schema.
func (r *reader) resolve(s *schema) (*schema, error) {
	if s.Ref == "" {
		return s, nil
	}
	found, ok := r.doc.Components.Schemas.find(last(s.Ref))
	if !ok {
		return nil, fmt.Errorf("the document has no %s", s.Ref)
	}
	return found, nil
}

// field builds a field. owner names an object without a name of its own.
func (r *reader) field(name string, s *schema, required bool, owner string) (Field, error) {
	t, err := r.typeOf(s, owner+"_"+name)
	if err != nil {
		return Field{}, fmt.Errorf("field %s: %w", name, err)
	}
	return Field{Name: name, In: InBody, Type: t, Required: required, Sensitive: sensitive(name), About: s.Description}, nil
}

// typeOf is the type of a schema. name is for an object without a name of its own.
func (r *reader) typeOf(s *schema, name string) (Type, error) {
	if s.Ref != "" {
		name = last(s.Ref)
	}
	full, err := r.resolve(s)
	if err != nil {
		return Type{}, err
	}
	if len(full.AnyOf) > 0 {
		return r.union(full, name)
	}
	switch full.Type {
	case "string":
		t := Type{Base: String, Format: full.Format}
		for _, e := range full.Enum {
			t.Enum = append(t.Enum, fmt.Sprint(e))
		}
		if text, ok := full.Const.(string); ok {
			t.Enum = []string{text}
		}
		return t, nil
	case "number":
		return number(name[strings.LastIndex(name, "_")+1:], full)
	case "integer":
		return Type{Base: Integer}, nil
	case "boolean":
		return Type{Base: Boolean}, nil
	case "array":
		item, err := r.typeOf(full.Items, name+"_item")
		return Type{Base: Array, Item: &item}, err
	case "object":
		o, err := r.object(name, full)
		return Type{Base: ObjectT, Object: o.Name}, err
	}
	return Type{}, fmt.Errorf("the type %q has no form in an SDK", full.Type)
}

// rupees are the numbers that are amounts, by name: most descriptions leave it to the
// chapter to say so. commissionRate is rupees or per cent, and has six decimals.
func rupees(name string) bool {
	return slices.Contains([]string{
		"amount", "TxnAmount", "minAmount", "maxAmount", "balance", "charge", "totalAmount", "registrationFeeCharged",
		"gst", "commission", "volume", "providerCost", "tds", "net", "min", "max", "step", "sum",
		"AviableLimit", "AviabledayLimit", "AviableMonthLimit", "monthLimit",
	}, name)
}

// fraction are the numbers with decimals that are no amounts.
func fraction(name string) bool { return name == "commissionRate" }

// number is the type of a number: an amount, a fraction, or else a whole number, which
// ids, counts and statuses are.
func number(name string, s *schema) (Type, error) {
	t := Type{Base: Number, Money: rupees(name)}
	if !t.Money && strings.Contains(strings.ToLower(s.Description), "rupees") && !fraction(name) {
		return Type{}, fmt.Errorf("the number says that it is rupees: add its name to the list of amounts in deploy/sdk/generate")
	}
	if !t.Money && !fraction(name) {
		t.Base = Integer
	}
	for _, e := range s.Enum {
		n, err := strconv.ParseInt(fmt.Sprint(e), 10, 64)
		if err != nil {
			return Type{}, fmt.Errorf("the value %v is no whole number", e)
		}
		t.Numbers = append(t.Numbers, n)
	}
	return t, nil
}

// union is the type of several schemas: a text that may also be written as a number is a
// text; of objects it is one that has the fields of all.
func (r *reader) union(s *schema, name string) (Type, error) {
	var types []Type
	for _, one := range s.AnyOf {
		t, err := r.typeOf(one, name)
		if err != nil {
			return Type{}, err
		}
		if t.Base == String {
			return t, nil
		}
		types = append(types, t)
	}
	all := Object{Name: objectName(name)}
	for i, t := range types {
		if t.Base != ObjectT {
			return Type{}, fmt.Errorf("one of several is a %s", t.Base)
		}
		one := r.objects[t.Object]
		all.Open = all.Open || one.Open
		all.Fields = merge(all.Fields, one.Fields, i == 0)
	}
	r.objects[all.Name] = all
	return Type{Base: ObjectT, Object: all.Name}, nil
}

// merge adds the fields of a second object. Required is what is required in both.
func merge(fields, more []Field, first bool) []Field {
	out := slices.Clone(fields)
	for i := range out {
		at := slices.IndexFunc(more, func(f Field) bool { return f.Name == out[i].Name })
		out[i].Required = out[i].Required && at >= 0 && more[at].Required
		if at >= 0 {
			for _, e := range more[at].Type.Enum {
				if !slices.Contains(out[i].Type.Enum, e) {
					out[i].Type.Enum = append(slices.Clone(out[i].Type.Enum), e)
				}
			}
		}
	}
	for _, f := range more {
		if !slices.ContainsFunc(out, func(g Field) bool { return g.Name == f.Name }) {
			f.Required = f.Required && first
			out = append(out, f)
		}
	}
	return out
}

// object reads an object and keeps it under its name.
func (r *reader) object(name string, s *schema) (Object, error) {
	o := Object{Name: objectName(name), About: s.Description, Open: s.Additional}
	if known, ok := r.objects[o.Name]; ok {
		return known, nil
	}
	r.objects[o.Name] = o // it may hold itself
	for _, p := range s.Properties {
		f, err := r.field(p.name, p.value, slices.Contains(s.Required, p.name), name)
		if err != nil {
			return Object{}, err
		}
		o.Fields = append(o.Fields, f)
	}
	r.objects[o.Name] = o
	return o, nil
}

// objectName is the name of an object: that of the schema, or of the place where it
// stands: post_aeps_requery_data is AepsRequeryData.
func objectName(name string) string {
	var words []string
	for i, part := range strings.Split(name, "_") {
		if i == 0 && slices.Contains([]string{"post", "get", "put", "delete"}, part) || part == "v1" || part == "txn" || part == "" {
			continue
		}
		words = append(words, part)
	}
	return Capital(words)
}

// reply reads the success of a route.
func (r *reader) reply(o operation) (Reply, error) {
	out := Reply{Status: 200}
	success, ok := o.Responses["200"]
	if !ok {
		out.Status = 201
		success, ok = o.Responses["201"]
	}
	body := success.Content["application/json"].Schema
	if !ok || body == nil {
		return Reply{}, fmt.Errorf("no success is described")
	}
	kinds := body.AnyOf
	if len(kinds) == 0 {
		kinds = []*schema{body}
	}
	var datas []*schema
	for _, kind := range kinds {
		message, _ := kind.Properties.find("message")
		out.Pending = out.Pending || message != nil && message.Const == "Transaction pending"
		if data, ok := kind.Properties.find("data"); ok && !slices.ContainsFunc(datas, func(s *schema) bool { return s.Ref == data.Ref }) {
			datas = append(datas, data)
		}
	}
	first := kinds[0]
	if _, ok := first.Properties.find("statusCode"); !ok {
		t, err := r.typeOf(first, o.ID+"_reply")
		out.Bare, out.Data = true, &t
		return out, err
	}
	for _, p := range first.Properties {
		switch p.name {
		case "statusCode", "message", "txnStatus", "reference":
		case "data":
			data := p.value
			if len(datas) > 1 {
				data = &schema{AnyOf: datas}
			}
			t, err := r.typeOf(data, o.ID+"_data")
			if err != nil {
				return Reply{}, err
			}
			out.Data = &t
		default:
			f, err := r.field(p.name, p.value, slices.Contains(first.Required, p.name), o.ID)
			if err != nil {
				return Reply{}, err
			}
			out.Extra = append(out.Extra, f)
		}
	}
	r.outcome(&out)
	return out, nil
}

// outcome tells by which member of data a program learns the outcome.
func (r *reader) outcome(out *Reply) {
	if out.Data == nil || out.Data.Base != ObjectT {
		return
	}
	for _, f := range r.objects[out.Data.Object].Fields {
		out.AEPS = out.AEPS || f.Name == "ResponseCode"
		out.Transfer = out.Transfer || f.Name == "status" && slices.Contains(f.Type.Enum, "PENDING")
	}
}
