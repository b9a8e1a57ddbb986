// Package memory holds the words that the whole program speaks: messages,
// sessions, positions, what a search asks for, and the errors that cross
// package borders. It imports the standard library alone, knows no SQL, no
// protocol and no model, so that every other package can build on it and a Go
// agent can use the engines below it without MCP.
//
// The engines (history, recall, …) live in the directories below; each one
// declares the small Store it needs, in these types. Package sqlite satisfies
// all of them; package storetest is the contract that any other store must
// pass.
package memory
