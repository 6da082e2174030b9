"""The protocol between the gate and an implementation: operations, requests, numbers on the wire."""
