package generate

// Model is the interface as the SDKs have it, without the terms of any language.
type Model struct {
	Version string   // of the interface, and of each package: major.minor.patch
	Routes  []Route  // in the document's order
	Objects []Object // every object that a reply has, sorted by name
	Extras  []Field  // all fields of Reply.Extra, each name once; all optional
	Event   Object   // the data of a callback of the type operation.finished
}

// Route is a route that an SDK has a method for.
type Route struct {
	ID      string   // operationId: post_aeps_withdrawal
	Method  string   // GET, POST, PUT or DELETE
	Path    string   // /terminals/{id}
	Words   []string // the method's name in lower-case words: aeps, withdrawal
	Summary string   // one line
	About   string   // paragraphs; may be empty
	Tag     string   // the chapter in /docs
	Roles   []string // who may call: merchant, vendor, aggregator; empty where Open
	Kind    Kind

	Identity bool // an operation: it takes an Idempotency-Key, and a repeat gets the stored reply
	Direct   bool // always true today
	Gateway  bool // callable through the gateway
	Open     bool // needs no access token
	Acting   bool // has the field merchantId

	Fields []Field // of the request, required ones first
	Reply  Reply
}

// Kind is what a route changes.
type Kind string

// The kinds. A record changes a record and moves no money; reference is an enquiry whose
// answer seldom changes.
const (
	Money     Kind = "money"
	Record    Kind = "record"
	Enquiry   Kind = "enquiry"
	Reference Kind = "reference"
)

// Repeatable reports whether a call whose reply was lost may be sent again as it was.
func (r Route) Repeatable() bool {
	return r.Identity || r.Kind == Enquiry || r.Kind == Reference || r.Method == "GET"
}

// Place is where a field travels on the direct route. At the gateway a query's field is in
// the sealed body instead.
type Place string

// The places of fields. Those of replies are in the body.
const (
	InPath  Place = "path"
	InQuery Place = "query"
	InBody  Place = "body"
)

// Field is a field of a request or of an object.
type Field struct {
	Name      string // as it is on the wire
	In        Place
	Type      Type
	Required  bool
	Sensitive bool   // must be in no text that people or logs see
	About     string // sentences; may be empty
}

// Base is the kind of a type.
type Base string

// The kinds of types. Any is JSON of an unknown form.
const (
	String  Base = "string"
	Number  Base = "number"  // has decimals: an amount where Money, otherwise a rate
	Integer Base = "integer" // fits into 64 bits
	Boolean Base = "boolean"
	ObjectT Base = "object" // Type.Object names it
	Array   Base = "array"  // Type.Item
	Any     Base = "any"
)

// Type is the type of a value.
type Type struct {
	Base    Base
	Money   bool     // a Number: rupees with at most two decimals
	Enum    []string // the allowed texts of a String, where they are listed
	Numbers []int64  // the allowed values of a Number, where they are listed
	Format  string   // uuid, date or date-time of a String; otherwise empty
	Object  string   // a name in Model.Objects
	Item    *Type
}

// Object is a named object of replies.
type Object struct {
	Name   string // in capital words: Withdrawal
	About  string
	Fields []Field
	Open   bool // the bank network may add fields of its own
}

// Reply is a success of a route, and what a decline shares with it. Every reply has
// statusCode and message, except a Bare one.
type Reply struct {
	Status int     // HTTP status: 200 or 201
	Data   *Type   // of the member data; nil: it has none
	Bare   bool    // has no envelope: Data is the whole reply
	Extra  []Field // further members beside data; never txnStatus and reference
	AEPS   bool    // tells its outcome by txnStatus or ResponseCode in data, not by statusCode
	// Transfer reports that the member status of data, where it is there, tells the outcome.
	Transfer bool
	// Pending reports that a reply may say 'Transaction pending'.
	Pending bool
}
