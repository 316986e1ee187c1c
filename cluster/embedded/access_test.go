package embedded_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/cluster/rights"
)

// authority signs certificates for a test.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.cert, a.key = a.sign("authority", true)
	return a
}

// sign makes a certificate in files of a name.
func (a *authority) sign(name string, ca bool) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: ca, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	parent, signer := a.cert, a.key
	if ca {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	require.NoError(a.t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(a.t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(a.t, err)
	a.write(name+".pem", "CERTIFICATE", der)
	a.write(name+".key", "PRIVATE KEY", secret)
	return cert, key
}

func (a *authority) write(name, kind string, der []byte) {
	a.t.Helper()
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	require.NoError(a.t, os.WriteFile(a.file(name), text, 0o600))
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

var shop = rights.User{Name: "shop", Password: "secret",
	Roles: map[string]rights.Role{"tasks": rights.Submitter}}

// asShop is how the user shop connects.
func asShop() []nats.Option {
	return []nats.Option{nats.UserInfo("shop", "secret"),
		nats.CustomInboxPrefix(rights.Inbox("shop")), nats.NoReconnect()}
}

func start(t *testing.T, opts ...embedded.Option) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(t.Context(), t.TempDir(), opts...)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// A user has the part of its role, over TLS; nobody else gets in; and the process itself, without a
// port and without a certificate, may do everything.
func TestUsersOverTLS(t *testing.T) {
	a := newAuthority(t)
	a.sign("server", false)
	s := start(t, embedded.Listen("0.0.0.0:0"), embedded.Users(shop),
		embedded.TLS(a.file("server.pem"), a.file("server.key")))
	own, err := s.Conn()
	require.NoError(t, err)
	defer own.Close()
	_, err = cluster.Join(t.Context(), own)
	require.NoError(t, err)

	url := strings.Replace(s.URL(), "0.0.0.0", "127.0.0.1", 1)
	require.Contains(t, url, "tls://")
	trusted := nats.RootCAs(a.file("authority.pem"))
	nc, err := nats.Connect(url, append(asShop(), trusted)...)
	require.NoError(t, err)
	defer nc.Close()
	p, err := cluster.Join(t.Context(), nc)
	require.NoError(t, err)
	task := cluster.Define("task", func(context.Context, int) (int, error) { return 0, nil })
	_, err = cluster.Submit(t.Context(), p, task, 0)
	require.NoError(t, err)
	_, err = cluster.Join(t.Context(), nc, cluster.Name("other"))
	require.ErrorIs(t, err, cluster.ErrPermission)

	for name, opts := range map[string][]nats.Option{
		"no user":        {trusted},
		"wrong password": {trusted, nats.UserInfo("shop", "wrong")},
		"the process":    {trusted, nats.UserInfo("process", "")},
	} {
		_, err = nats.Connect(url, opts...)
		require.ErrorIs(t, err, nats.ErrAuthorization, name)
	}
	_, err = nats.Connect(url, asShop()...)
	require.ErrorContains(t, err, "certificate")
}

// Within the process a connection may be one of the users as well.
func TestAConnectionWithinTheProcessMayBeAUser(t *testing.T) {
	s := start(t, embedded.Users(shop))
	nc, err := s.Conn(asShop()...)
	require.NoError(t, err)
	defer nc.Close()
	_, err = cluster.Join(t.Context(), nc)
	require.ErrorIs(t, err, cluster.ErrPermission) // it is the administrator who makes the pool
}

// An option of the caller's own may say who connects, too.
func TestAnotherWayToSayWhoConnects(t *testing.T) {
	s := start(t, embedded.Listen("0.0.0.0:0"), func(o *server.Options) error {
		o.Authorization = "token"
		return nil
	})
	url := strings.Replace(s.URL(), "0.0.0.0", "127.0.0.1", 1)
	_, err := nats.Connect(url)
	require.ErrorIs(t, err, nats.ErrAuthorization)
	nc, err := nats.Connect(url, nats.Token("token"))
	require.NoError(t, err)
	nc.Close()
}

// A password may be given as its hash.
func TestAPasswordMayBeAHash(t *testing.T) {
	hashed := shop // the hash of "secret"
	hashed.Password = "$2a$04$xJOn1hU5aIxgU9nVhZgT6OHrDKv/iNeMsu4A.3GJpq89An6xVBoG2"
	s := start(t, embedded.Listen("127.0.0.1:0"), embedded.Users(hashed))
	nc, err := nats.Connect(s.URL(), asShop()...)
	require.NoError(t, err)
	nc.Close()
	_, err = nats.Connect(s.URL(), nats.UserInfo("shop", hashed.Password))
	require.ErrorIs(t, err, nats.ErrAuthorization)
}

// With an authority of clients' certificates, who shows one may do everything, and nobody else
// connects.
func TestClientsShowACertificate(t *testing.T) {
	a := newAuthority(t)
	a.sign("server", false)
	a.sign("client", false)
	s := start(t, embedded.Listen(":0"), embedded.TLS(a.file("server.pem"), a.file("server.key")),
		embedded.ClientCA(a.file("authority.pem")))
	url := strings.Replace(s.URL(), "0.0.0.0", "127.0.0.1", 1)
	trusted := nats.RootCAs(a.file("authority.pem"))
	nc, err := nats.Connect(url, trusted, nats.ClientCert(a.file("client.pem"), a.file("client.key")))
	require.NoError(t, err)
	defer nc.Close()
	_, err = cluster.Join(t.Context(), nc)
	require.NoError(t, err)
	_, err = nats.Connect(url, trusted)
	require.Error(t, err)
}

func TestLimits(t *testing.T) {
	s := start(t, embedded.Listen("127.0.0.1:0"), embedded.MaxPayload(100_000),
		embedded.MaxConnections(2), embedded.MaxStore(1<<20))
	own, err := s.Conn()
	require.NoError(t, err)
	defer own.Close()
	p, err := cluster.Join(t.Context(), own)
	require.NoError(t, err)
	task := cluster.Define("task", func(context.Context, string) (int, error) { return 0, nil })
	_, err = cluster.Submit(t.Context(), p, task, strings.Repeat("x", 100_000))
	require.ErrorIs(t, err, cluster.ErrInvalid)
	for range 20 {
		if _, err = cluster.Submit(t.Context(), p, task, strings.Repeat("x", 90_000)); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, cluster.ErrFull)
	second, err := nats.Connect(s.URL())
	require.NoError(t, err)
	defer second.Close()
	_, err = nats.Connect(s.URL())
	require.Error(t, err) // it is closed, at whatever moment
}

func TestStartRefusesWhatCannotBeMeant(t *testing.T) {
	a := newAuthority(t)
	a.sign("server", false)
	a.sign("other", false)
	encrypted := embedded.TLS(a.file("server.pem"), a.file("server.key"))
	here := embedded.Listen("127.0.0.1:0")
	user := func(name string, roles map[string]rights.Role) embedded.Option {
		return embedded.Users(rights.User{Name: name, Password: "x", Roles: roles})
	}
	type options []embedded.Option
	for name, test := range map[string]struct {
		opts options
		says string
	}{
		"everybody everywhere": {options{embedded.Listen(":0")}, "0.0.0.0:0"},
		"a name":               {options{embedded.Listen("db.example.org:0")}, "Users"},
		"TLS is no access":     {options{embedded.Listen("[::]:0"), encrypted}, "ClientCA"},
		"TLS for nobody":       {options{encrypted}, "without Listen"},
		"CA without TLS":       {options{here, embedded.ClientCA("ca.pem")}, "without TLS"},
		"no files":             {options{here, embedded.TLS("", "")}, "certificate"},
		"no CA":                {options{here, encrypted, embedded.ClientCA("")}, "ClientCA"},
		"no such file":         {options{here, embedded.TLS("no", "no")}, "TLS"},
		"another's key": {options{here, embedded.TLS(a.file("server.pem"), a.file("other.key"))},
			"TLS"},
		"no such CA":        {options{here, encrypted, embedded.ClientCA("no")}, "TLS"},
		"no users":          {options{embedded.Users()}, "no users"},
		"the process":       {options{user("process", shop.Roles)}, "itself"},
		"user twice":        {options{embedded.Users(shop, shop)}, "two users"},
		"user with no role": {options{user("x", nil)}, "no role"},
		"small payload":     {options{embedded.MaxPayload(100)}, "100 bytes"},
		"large payload":     {options{embedded.MaxPayload(1 << 30)}, "bytes"},
		"no connections":    {options{embedded.MaxConnections(0)}, "connections"},
		"no store":          {options{embedded.MaxStore(0)}, "store"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			_, err := embedded.Start(t.Context(), dir, test.opts...)
			require.ErrorContains(t, err, test.says)
			require.NoDirExists(t, dir)
		})
	}
}

// The largest and the smallest messages are those that a pool can work with.
func TestPayloadsOfAllAllowedSizes(t *testing.T) {
	for _, most := range []int{4 << 10, 32 << 20} {
		s := start(t, embedded.MaxPayload(most))
		own, err := s.Conn()
		require.NoError(t, err)
		defer own.Close()
		p, err := cluster.Join(t.Context(), own)
		require.NoError(t, err)
		task := cluster.Define("task", func(_ context.Context, s string) (int, error) {
			return len(s), nil
		})
		go p.Serve(t.Context(), task) //nolint:errcheck // it ends with the test
		f, err := cluster.Submit(t.Context(), p, task, strings.Repeat("x", most-4000))
		require.NoError(t, err)
		n, err := f.Get(t.Context())
		require.NoError(t, err)
		require.Equal(t, most-4000, n)
		_, err = cluster.Submit(t.Context(), p, task, strings.Repeat("x", most-1000))
		require.ErrorIs(t, err, cluster.ErrInvalid)
	}
}
