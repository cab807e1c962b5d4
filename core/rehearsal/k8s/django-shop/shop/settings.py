SECRET_KEY = "set-by-the-environment"
DEBUG = False
ALLOWED_HOSTS = []
ROOT_URLCONF = "shop.urls"
