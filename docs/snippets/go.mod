module github.com/punctual-go/punctual/docs/snippets

go 1.25.0

require (
	github.com/alitto/pond/v2 v2.7.1
	github.com/go-co-op/gocron/v2 v2.21.2
	github.com/jonboulle/clockwork v0.5.0
	github.com/panjf2000/ants/v2 v2.12.1
	github.com/punctual-go/punctual v0.1.0
	github.com/punctual-go/punctual/contrib/inspect v0.1.0
	github.com/robfig/cron/v3 v3.0.1
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.22.0
)

require (
	github.com/google/uuid v1.6.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
