// Package library groups the packages that make up a project's offer besides plain files: documents with a search
// index, prompts, skills, the capability index and the tools, and the reading of files within a memory budget. None of
// them knows a transport.
package library
