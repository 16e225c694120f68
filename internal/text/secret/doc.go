// Package secret finds secrets in texts and files: private keys, tokens and passwords.
//
// The rules recognize secrets by the shape that their issuers define for that purpose, such as the
// prefix of a token, followed by random characters; a placeholder in a document does not match.
// Each rule has marks, such as "ghp_". One pass finds the marks of all rules, and a rule runs on a
// few kilobytes around each of its marks. So the time hardly depends on the number of rules, and
// the memory does not depend on the size of the file. A file that is a private key or a key store in
// ASN.1 is found by its beginning, also in base64.
//
// Secrets without such a shape, above all passwords in sentences, are not found. The package does
// not look for JSON Web Tokens: in documents they are nearly always examples and cannot be
// distinguished from real ones. Archives are not unpacked.
package secret
