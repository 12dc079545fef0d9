"""Selection against model-X knockoffs. Read `latent` (columns of any kind as normal variables, and back), `gaussian`
(knockoffs of normal variables), then `selector` (what users see).
"""
