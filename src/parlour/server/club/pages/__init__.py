"""The pages of the club: its deals, tournaments and numbers, and what a guest finds again."""

from parlour.server.page.environment import bring_templates

bring_templates(__name__)
