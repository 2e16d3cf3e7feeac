# Written by deploy/sdk/generate from the OpenAPI document; do not edit.
"""The version of the interface, and of this package."""

VERSION = "1.1.0"
