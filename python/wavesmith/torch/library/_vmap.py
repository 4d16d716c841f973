def register(library):
    pass
