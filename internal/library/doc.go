// Package library holds what a project offers besides plain files: documents with a search index, prompts, skills, the capability
// index and the tools, and the reading of files within a budget of memory. It knows no transport.
package library
