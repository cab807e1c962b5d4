from fastapi import FastAPI

app = FastAPI()


@app.get("/live")
def live():
    return {"status": "ok"}
