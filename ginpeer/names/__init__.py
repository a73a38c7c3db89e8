"""What a player is called, and whatever else a peer has said, where it stands among our words."""
