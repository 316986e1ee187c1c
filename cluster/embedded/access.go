package embedded

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster/rights"
)

// Users are those who may connect, and what each may do: see package rights, also for what that is
// worth. Nobody else may. Passwords travel as they are unless there is [TLS].
//
//	embedded.Users(rights.User{Name: "shop", Password: password,
//		Roles: map[string]rights.Role{"tasks": rights.Submitter}})
//
// A user connects with its name, its password and an inbox of its own:
//
//	nats.Connect(url, nats.UserInfo("shop", password),
//		nats.CustomInboxPrefix(rights.Inbox("shop")))
func Users(users ...rights.User) Option {
	return func(o *server.Options) error {
		if err := rights.Check(users...); err != nil {
			return fmt.Errorf("embedded: %w", err)
		}
		for _, u := range users {
			if u.Name == processUser {
				return fmt.Errorf("embedded: a user of name %q, which is that of the process itself", u.Name)
			}
			p, err := u.Permissions()
			if err != nil {
				return fmt.Errorf("embedded: %w", err)
			}
			o.Users = append(o.Users, &server.User{
				Username: u.Name, Password: u.Password, Permissions: permissions(p),
			})
		}
		return nil
	}
}

func permissions(p rights.Permissions) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: p.Publish},
		Subscribe: &server.SubjectPermission{Allow: p.Subscribe},
	}
}

// TLS has other processes connect by TLS alone, with a certificate and its key, both files in PEM.
// They are read at the start.
func TLS(certificate, key string) Option {
	return func(o *server.Options) error {
		if certificate == "" || key == "" {
			return errors.New("embedded: TLS needs the files of a certificate and of its key")
		}
		o.TLSCert, o.TLSKey = certificate, key
		return nil
	}
}

// ClientCA has other processes show a certificate that an authority has signed, whose own are in a
// file in PEM. Without [Users], who has one may do everything.
func ClientCA(file string) Option {
	return func(o *server.Options) error {
		if file == "" {
			return errors.New("embedded: ClientCA needs the file of an authority's certificates")
		}
		o.TLSCaCert, o.TLSVerify = file, true
		return nil
	}
}

// guard completes what the options say of who may connect, and refuses what cannot be meant.
func guard(o *server.Options) error {
	switch {
	case o.TLSVerify && o.TLSCert == "":
		return errors.New("embedded: ClientCA without TLS: only there do clients show a certificate")
	case o.TLSCert != "" && o.DontListen:
		return errors.New("embedded: TLS without Listen: nobody connects from outside")
	case !o.DontListen && !loopback(o.Host) && !asksWho(o):
		return fmt.Errorf("embedded: other machines may reach %s, and everybody there could do "+
			"everything: say who may by Users, or by TLS with ClientCA, or listen on 127.0.0.1",
			net.JoinHostPort(o.Host, fmt.Sprint(max(o.Port, 0))))
	case o.TLSCert == "":
		return nil
	}
	config, err := server.GenTLSConfig(&server.TLSConfigOpts{
		CertFile: o.TLSCert, KeyFile: o.TLSKey, CaFile: o.TLSCaCert, Verify: o.TLSVerify,
	})
	if err != nil {
		return fmt.Errorf("embedded: TLS: %w", err)
	}
	o.TLS, o.TLSConfig, o.TLSTimeout = true, config, 5
	return nil
}

// asksWho tells whether the server asks who connects, also by what an option of the caller's own
// says.
func asksWho(o *server.Options) bool {
	return len(o.Users) > 0 || len(o.Nkeys) > 0 || o.Username != "" || o.Authorization != "" ||
		len(o.TrustedOperators) > 0 || o.CustomClientAuthentication != nil || o.TLSVerify
}

// loopback tells whether only this machine reaches an address.
func loopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// processUser is the user of connections within the process, beside those of [Users].
const processUser = "process"

// ownUser adds it, if there are users at all, and returns how it connects.
func ownUser(o *server.Options) ([]nats.Option, error) {
	if len(o.Users) == 0 {
		return nil, nil
	}
	password := rand.Text() + rand.Text()
	o.Users = append(o.Users, &server.User{
		Username: processUser, Password: password,
		AllowedConnectionTypes: map[string]struct{}{"IN_PROCESS": {}},
	})
	return []nats.Option{nats.UserInfo(processUser, password)}, nil
}
