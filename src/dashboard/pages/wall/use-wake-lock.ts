/** Keeps the screen on while the page is visible, where the browser can. */
import { useEffect } from "react";

export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isLeft = false;
    // The browser takes the lock back whenever the page is hidden.
    const request = async () => {
      if (document.hidden || !("wakeLock" in navigator)) return;
      // Refused where the battery is low: the page works without.
      const granted = await navigator.wakeLock.request("screen").catch(() => null);
      if (isLeft) await granted?.release();
      else lock = granted;
    };
    void request();
    document.addEventListener("visibilitychange", request);
    return () => {
      isLeft = true;
      document.removeEventListener("visibilitychange", request);
      void lock?.release();
    };
  }, []);
}
