// Package tools has the tools that a model may call. Those of this package only read:
//
//	docs.go       the tool for documents, named after the project
//	resources.go  list_resources and read_resource, for clients that only know tools
//	search.go     search, and fetch.go fetch, for connectors of ChatGPT
//
// Tools of other packages are a part of [Options]: a [Tool] says what it may do by its [Hints], gets
// a [Call], by which it reports progress, and answers with a list of [Block].
//
// A [Set] lists and calls those that are on. What a tool says of itself follows the documents. A
// mistake of the model is a [Mistake]: it belongs into the result, for the model to read. The
// package knows no requests and no error codes.
package tools
