// Package files groups the packages that access the disk or describe files. rootfs opens a project folder for all
// other packages; walk and gitignore say which names in it count, media finds MIME types, config reads the settings,
// and fserr removes paths from errors. database is the store that replicas
// share, and tree keeps versions of a project in it. progress reports how much of long work is done. No package here knows
// documents or MCP.
package files
