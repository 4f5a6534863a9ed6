"""A headless Chromium with WebGL in software, driven by selenium."""

import contextlib
import io
import shutil

import numpy as np
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=900,700",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-extensions",
)  # fmt: skip


@contextlib.contextmanager
def browser(folder):
    """A driver; its profile is in `folder`."""
    selenium = pytest.importorskip("selenium", reason="needs selenium")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("needs chromium and chromium-driver (Debian's packages of these names)")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_page_load_timeout(60)
    try:
        yield driver
    finally:
        driver.quit()
    assert selenium


def picture(driver):
    """What the page looks like, (height, width, 3)."""
    from PIL import Image
    from selenium.common.exceptions import TimeoutException

    for _ in range(5):  # software draws slowly where others compute
        with contextlib.suppress(TimeoutException):
            driver.get_screenshot_as_png()
            break
    return np.asarray(Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB"))


def errors(driver):
    """What the console says of errors."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
