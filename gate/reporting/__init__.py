"""What the verdict says, in each form that somebody reads. Nothing is rendered that the verdict doesn't hold."""
