from django.http import JsonResponse
from django.urls import path


def ready(request):
    return JsonResponse({"status": "ok"})


urlpatterns = [path("ready/", ready)]
