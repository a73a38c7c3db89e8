"""Two peers over TCP: TLS, frames, invites, sessions. Twisted lives here and nowhere else."""
