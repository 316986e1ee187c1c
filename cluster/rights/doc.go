// Package rights says what a user of a NATS server has to be permitted to do its part in a pool of
// package cluster, and no more: the subjects that it may publish to and subscribe to, by its role.
// [Config] writes them for the configuration of a server, and cluster/embedded takes the same users.
//
// # What rights are worth
//
// They keep a process that uses package cluster to its role, whatever is wrong with its code: one
// that may submit cannot record results, serve, or touch another pool. They do not hold against an
// enemy who has a password and speaks to the server directly. The server publishes the answer to a
// request wherever the request says, also where its author must not publish, in whatever pool. And
// a message with the header "Nats-Rollup: all" empties the stream that it is stored in: who may
// submit may do that. So parties that do not trust each other need accounts of their own, see
// https://docs.nats.io/running-a-nats-service/configuration/securing_nats/accounts: a pool in one
// account cannot be reached from another.
package rights
