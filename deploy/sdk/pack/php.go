package main

import (
	"context"
	"fmt"
	"os"
)

// packPHP makes the zip that composer installs, by composer's own archive. A folder of such
// zips is a repository of the type artifact.
func packPHP(ctx context.Context, j job) error {
	source, err := copied(j.source, "composer.json", "README.md", "autoload.php", "src", "examples")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(source) }()
	// An artifact says its version itself; the checked-out folder leaves it to its tag.
	if err := command(ctx, source, "composer", "config", "version", j.version); err != nil {
		return err
	}
	return command(ctx, source, "env", "COMPOSER_ALLOW_SUPERUSER=1", "COMPOSER_ROOT_VERSION="+j.version, "composer", "archive", "--no-interaction", "--format=zip", "--dir="+j.out, fmt.Sprintf("--file=galla-sdk-%s", j.version))
}
