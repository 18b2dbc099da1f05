from builders.campaign_place import small  # noqa: F401
