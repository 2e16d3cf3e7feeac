module galla.example/sdk

go 1.24
