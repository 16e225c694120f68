//go:build !linux

package watch

import "context"

// mounts is empty: mounts are not followed on this system.
type mounts struct{}

func openMounts(string) *mounts { return &mounts{} }

func (*mounts) close() {}

func (*mounts) follow(context.Context, func([]string)) {}
