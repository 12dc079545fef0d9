"""Selection against model-X knockoffs. Read `latent` (columns of any kind as normal variables, their
knockoffs, and the way back), then `selector` (what users see).
"""
