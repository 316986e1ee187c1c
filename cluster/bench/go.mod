module github.com/punctual-go/punctual/cluster/bench

go 1.26.0

replace (
	github.com/punctual-go/punctual => ../..
	github.com/punctual-go/punctual/cluster => ..
	github.com/punctual-go/punctual/cluster/embedded => ../embedded
)
