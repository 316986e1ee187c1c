// Package embedded runs the server of package cluster in the process itself: a nats-server without
// a port, whose data is in a directory and is on disk before anything is acknowledged. It is for
// services of one machine whose tasks have to survive a restart, for tests, and for a start that
// costs nothing: the same program goes on with servers of their own by another connection.
//
//	server, err := embedded.Start(ctx, "/var/lib/service/tasks")
//	defer server.Close() // once Serve has returned
//	conn, err := server.Conn()
//	defer conn.Close()
//	pool, err := cluster.Join(ctx, conn)
//
// [Listen] opens a port for other processes. If other machines reach it, [Users] or [ClientCA] say
// who may connect; [TLS], [MaxPayload], [MaxConnections] and [MaxStore] are for them, too.
//
// "go -C cluster/embedded run ./example" shows three processes that share a server, of which one is
// killed and one is stopped for a while.
package embedded
