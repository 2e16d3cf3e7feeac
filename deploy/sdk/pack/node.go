package main

import "context"

// packNode makes what npm publish would send.
func packNode(ctx context.Context, j job) error {
	return command(ctx, j.source, "npm", "pack", "--ignore-scripts", "--pack-destination", j.out)
}
