/**
 * A lock that one process of a machine holds: a file that names it. A process that was killed leaves the file, and the
 * next one takes it over at once. Libraries that renew a lock while they hold it, as proper-lockfile does, would keep
 * the next one waiting, and give the lock of a process that was only paused to another.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Locks of this process, which lose their files when it ends. */
const held = new Set<string>();
process.on("exit", () => held.forEach(releaseProcessLock));

export function releaseProcessLock(path: string): void {
  if (held.delete(path)) rmSync(path, { force: true });
}

/** @returns the process that holds it, else null */
export function takeProcessLock(path: string): number | null {
  const own = asideName(path);
  try {
    writeFileSync(own, `${process.pid} ${startOf(process.pid)}`, { flag: "wx", mode: 0o600 });
    // A link appears with its content, so nobody reads half of it.
    while (!hasHappened(() => linkSync(own, path), "EEXIST")) {
      const holder = removeUnlessHeld(path);
      if (holder !== null) return holder;
    }
  } finally {
    rmSync(own, { force: true });
  }
  held.add(path);
  return null;
}

/** @returns the process that holds it */
function removeUnlessHeld(path: string): number | null {
  let text = "";
  if (!hasHappened(() => (text = readFileSync(path, "utf8")), "ENOENT")) return null;
  const holder = runningHolder(text);
  if (holder !== null) return holder;
  const aside = asideName(path);
  if (!hasHappened(() => renameSync(path, aside), "ENOENT")) return null;
  // Another process, which found it as well, may have taken it over since it was read: that one keeps it.
  if (readFileSync(aside, "utf8") !== text) hasHappened(() => linkSync(aside, path), "EEXIST");
  rmSync(aside);
  return null;
}

function runningHolder(text: string): number | null {
  const [, pid = "", start = ""] = /^([1-9]\d*) (\d*)$/.exec(text) ?? [];
  if (!pid || !isTaken(Number(pid))) return null;
  const startNow = startOf(Number(pid));
  // Where either is not known, it may be the holder.
  return startNow === "" || start === "" || startNow === start ? Number(pid) : null;
}

/** Whether some process has this number. */
function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * When it started, which tells it from a later process of the same number: in a container that is restarted, numbers are
 * the same each time. @returns "" where the system does not say
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Before it is the program's name, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, start = ""] = [fields[0], fields[19]];
    return state === "Z" ? "ended" : start;
  } catch {
    return startByPs(pid);
  }
}

/** Where there is no /proc. Windows has no such ps. @returns epoch ms */
function startByPs(pid: number): string {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  try {
    const asked = ["-o", "lstart=", "-p", String(pid)];
    const printed = execFileSync("ps", asked, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return String(Date.parse(`${printed} UTC`) || "");
  } catch {
    return "";
  }
}

/** @returns false when it fails as expected */
function hasHappened(act: () => void, expected: string): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === expected) return false;
    throw error;
  }
}

/** In a folder of all, as /tmp, a name that can be guessed could be another's link to one of your files. */
function asideName(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}
