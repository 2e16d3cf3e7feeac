package s3

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"galla/shared/files"
)

// Bounds of the client.
const (
	// maxTries is how often a request is sent; the caller tries again later.
	maxTries = 3
	// silence is how long the server may take to begin its answer.
	silence = 30 * time.Second
	// maxCredentials bounds the file of credentials, in bytes.
	maxCredentials = 4096
)

// sumName names the SHA-256 of an object in its metadata.
const sumName = "Sha256"

// Config says which bucket.
type Config struct {
	// URL is https://server[:port]/bucket, and may go on with a prefix of all names. http:// is
	// for a server on this machine or in a network of its own.
	URL string
	// Region is the server's; empty: us-east-1, which servers without regions take.
	Region string
	// Credentials is a file of two lines: the access key's id, and its secret.
	Credentials string
	// Transport replaces the client's; nil: one with time limits.
	Transport http.RoundTripper
}

// Bucket is a bucket. Its methods are safe for concurrent use.
type Bucket struct {
	client       *minio.Client
	bucket, base string
	shown        string
}

// bucketName is the form of a bucket's name.
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// New makes a Bucket. It calls nobody. The error names all faults; it quotes no URL with a
// password.
func New(cfg Config) (*Bucket, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the bucket's URL: want https://server/bucket or https://server/bucket/prefix, without a user or password: those are in the file of credentials")
	}
	bucket, base, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	var wrong []error
	if !bucketName.MatchString(bucket) {
		wrong = append(wrong, fmt.Errorf("the bucket's URL: %q is no name of a bucket", bucket))
	}
	if cfg.Credentials == "" {
		wrong = append(wrong, errors.New("the bucket needs a file of credentials: two lines, the access key's id and its secret"))
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	region := cfg.Region
	if region == "" {
		region = "us-east-1"
	}
	transport := cfg.Transport
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.ResponseHeaderTimeout = silence
		own.MaxIdleConnsPerHost = 2
		transport = own
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.New(&fileCredentials{path: cfg.Credentials}), Secure: u.Scheme == "https", Region: region,
		BucketLookup: minio.BucketLookupPath, MaxRetries: maxTries, Transport: transport,
	})
	if err != nil {
		return nil, fmt.Errorf("the bucket's client: %w", err)
	}
	return &Bucket{client: client, bucket: bucket, base: base, shown: "bucket " + u.Scheme + "://" + u.Host + path.Join("/", bucket, base)}, nil
}

// String names the bucket for people.
func (b *Bucket) String() string { return b.shown }

func (b *Bucket) key(name string) string { return strings.TrimPrefix(path.Join(b.base, name), "/") }

// Check asks the server for the bucket. The error says what to do.
func (b *Bucket) Check(ctx context.Context) error {
	found, err := b.client.BucketExists(ctx, b.bucket)
	switch {
	case err != nil:
		return b.explain(err)
	case !found:
		return fmt.Errorf("%s does not exist: create it", b.shown)
	}
	return nil
}

// Sum returns the SHA-256 of an object, or fs.ErrNotExist.
func (b *Bucket) Sum(ctx context.Context, name string) (sum [32]byte, err error) {
	about, err := b.client.StatObject(ctx, b.bucket, b.key(name), minio.StatObjectOptions{})
	if err != nil {
		return sum, b.explain(err)
	}
	if raw, err := hex.DecodeString(about.UserMetadata[sumName]); err == nil && len(raw) == len(sum) {
		return [32]byte(raw), nil
	}
	return b.read(ctx, name)
}

// read computes the SHA-256 of an object.
func (b *Bucket) read(ctx context.Context, name string) (sum [32]byte, err error) {
	object, err := b.client.GetObject(ctx, b.bucket, b.key(name), minio.GetObjectOptions{})
	if err != nil {
		return sum, b.explain(err)
	}
	h := sha256.New()
	_, err = io.Copy(h, object)
	if err = errors.Join(err, object.Close()); err != nil {
		return sum, b.explain(err)
	}
	return [32]byte(h.Sum(nil)), nil
}

// Put writes an object of a size in bytes, of at most 5 GiB, which content has from its start.
// fs.ErrExist: there is one.
func (b *Bucket) Put(ctx context.Context, name string, content io.ReadSeeker, size int64, sum [32]byte) error {
	if _, err := b.client.StatObject(ctx, b.bucket, b.key(name), minio.StatObjectOptions{}); err == nil {
		return fmt.Errorf("%s of %s: %w", name, b.shown, fs.ErrExist)
	} else if err = b.explain(err); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}
	options := minio.PutObjectOptions{
		ContentType: "text/csv; charset=utf-8", UserMetadata: map[string]string{sumName: hex.EncodeToString(sum[:])},
		DisableMultipart: true, SendContentMd5: true,
	}
	if !strings.HasSuffix(name, ".csv") {
		options.ContentType = "application/octet-stream"
	}
	options.SetMatchETagExcept("*")
	_, err := b.client.PutObject(ctx, b.bucket, b.key(name), content, size, options)
	if err != nil {
		return b.explain(err)
	}
	return nil
}

// explain turns an answer of the server into an error that says what to do.
func (b *Bucket) explain(err error) error {
	answer := minio.ToErrorResponse(err)
	switch answer.Code {
	case "NoSuchKey", "NotFound":
		return fmt.Errorf("%s: %w", b.shown, fs.ErrNotExist)
	case "PreconditionFailed", "ConditionalRequestConflict":
		return fmt.Errorf("%s: %w", b.shown, fs.ErrExist)
	case "NoSuchBucket":
		return fmt.Errorf("%s does not exist: create it", b.shown)
	case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch":
		return fmt.Errorf("%s refuses the credentials (%s): check their file, and that they may get and put objects", b.shown, answer.Code)
	case "":
	default:
		return fmt.Errorf("%s answered %s: %s", b.shown, answer.Code, answer.Message)
	}
	switch {
	case answer.StatusCode == http.StatusPreconditionFailed:
		return fmt.Errorf("%s: %w", b.shown, fs.ErrExist)
	case answer.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s: %w", b.shown, fs.ErrNotExist)
	}
	return fmt.Errorf("%s can't be reached: %w", b.shown, err)
}

// fileCredentials reads credentials from a file at each use.
type fileCredentials struct{ path string }

// Retrieve implements credentials.Provider.
func (f *fileCredentials) Retrieve() (credentials.Value, error) {
	text, err := files.ReadBounded(f.path, maxCredentials)
	if err != nil {
		return credentials.Value{}, fmt.Errorf("the bucket's credentials: %w", err)
	}
	lines := strings.Fields(string(text))
	if len(lines) != 2 {
		return credentials.Value{}, fmt.Errorf("the bucket's credentials: %s has %d words; want two lines, the access key's id and its secret", f.path, len(lines))
	}
	return credentials.Value{AccessKeyID: lines[0], SecretAccessKey: lines[1], SignerType: credentials.SignatureV4}, nil
}

// RetrieveWithCredContext implements credentials.Provider.
func (f *fileCredentials) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return f.Retrieve()
}

// IsExpired implements credentials.Provider: they are read again for each request.
func (f *fileCredentials) IsExpired() bool { return true }
