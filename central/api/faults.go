package api

import (
	"log/slog"

	"galla/central"
)

// fault is one line of the error table (interface.md, section 7).
type fault struct {
	http       int
	statusCode string
	message    string // used where the error has no message of its own
}

// faultOf is the error table: the HTTP status, statusCode and default message of
// every kind of error.
func faultOf(f central.Fault) fault {
	switch f {
	case central.Invalid:
		return fault{400, "02", "Invalid request"}
	case central.Unauthenticated:
		return fault{401, "03", "Not authenticated"}
	case central.AccessDenied:
		return fault{403, "01", "Access denied"}
	case central.MerchantNotFound:
		return fault{404, "01", "Merchant not found"}
	case central.NoMerchantInfo:
		return fault{422, "01", "Merchant info not created"}
	case central.NoRoute:
		return fault{404, "04", "No such route"}
	case central.NoMethod:
		return fault{405, "04", "The route exists, but not with this method"}
	case central.NotFound:
		return fault{404, "04", "No such record"}
	case central.FailedPrecondition:
		return fault{422, "05", "The present state does not allow it"}
	case central.TooLarge:
		return fault{413, "06", "The body is over the limit of 1 MiB"}
	case central.TooMany:
		return fault{429, "07", "Too many calls; try again later"}
	case central.Conflict:
		return fault{409, "09", "The same identity was used before with another body or route; nothing was done"}
	case central.BankUnreachable:
		return fault{502, "10", "Bank network unreachable; nothing was sent"}
	default:
		return fault{500, "500", "Server error"}
	}
}

// invalidData is the data of a reply with statusCode 02.
type invalidData struct {
	Errors []central.FieldError `json:"errors"`
}

// internalData is the data of a reply with statusCode 500.
type internalData struct {
	RequestID string `json:"requestId"`
}

// errorReply renders an error. requestID may be empty; only internal errors show
// it.
func errorReply(e *central.Error, requestID string) central.Reply {
	line := faultOf(e.Fault)
	out := envelope{StatusCode: line.statusCode, Message: e.Message}
	if out.Message == "" || line.http == 500 {
		out.Message = line.message
	}
	switch {
	case e.Fault == central.Invalid && len(e.Fields) > 0:
		out.Data = invalidData{e.Fields}
	case e.Fault == central.Invalid:
		out.Data = invalidData{[]central.FieldError{{Field: "request", Rule: "valid", Message: out.Message}}}
	case line.http == 500 && requestID != "":
		out.Data = internalData{requestID}
	}
	return central.Reply{HTTP: line.http, Body: encode(out), RetryAfter: e.RetryAfter}
}

// ErrorReply implements central.Handler. The cause of an internal error goes to
// the log only.
func (h *Handler) ErrorReply(err error, requestID string) central.Reply {
	e := central.AsError(err)
	if faultOf(e.Fault).http == 500 {
		h.log.Error("request failed", slog.String("request", requestID), slog.Any("error", err))
	}
	return errorReply(e, requestID)
}
