//go:build !linux

package watch

import "context"

// mounts are not followed here.
type mounts struct{}

func openMounts(string) *mounts { return &mounts{} }

func (*mounts) close() {}

func (*mounts) follow(context.Context, func([]string)) {}
