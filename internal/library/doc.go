// Package library groups the packages that make up what a project offers. docs, site, docsfs and dependencies find,
// index and read documents; goapi and dtsapi describe the APIs of dependencies; prompts, skills, capability
// and tools are the other parts; contents reads files for answers within a memory budget. None of them knows a
// transport.
package library
