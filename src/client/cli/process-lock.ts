/**
 * A lock that one process of a machine holds: a file that names the process. A killed process leaves the file behind,
 * and the next process takes the lock over immediately. Libraries that renew a lock while they hold it, such as
 * proper-lockfile, would keep the next process waiting. They would also give the lock of a merely paused process to
 * another.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Locks of this process. Their files are deleted when it exits. */
const held = new Set<string>();
process.on("exit", () => held.forEach(releaseProcessLock));

export function releaseProcessLock(path: string): void {
  if (held.delete(path)) rmSync(path, { force: true });
}

/** @returns the process that holds the lock, or null on success */
export function takeProcessLock(path: string): number | null {
  const own = asideName(path);
  try {
    writeFileSync(own, `${process.pid} ${startOf(process.pid)}`, { flag: "wx", mode: 0o600 });
    // A hard link appears together with its content, so no process reads a partial file.
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

/** @returns the process that holds the lock */
function removeUnlessHeld(path: string): number | null {
  let text = "";
  if (!hasHappened(() => (text = readFileSync(path, "utf8")), "ENOENT")) return null;
  const holder = runningHolder(text);
  if (holder !== null) return holder;
  const aside = asideName(path);
  if (!hasHappened(() => renameSync(path, aside), "ENOENT")) return null;
  // Another process may have found the lock too, and have taken it over since it was read. It then keeps the lock.
  if (readFileSync(aside, "utf8") !== text) hasHappened(() => linkSync(aside, path), "EEXIST");
  rmSync(aside);
  return null;
}

function runningHolder(text: string): number | null {
  const [, pid = "", start = ""] = /^([1-9]\d*) (\d*)$/.exec(text) ?? [];
  if (!pid || !isTaken(Number(pid))) return null;
  const startNow = startOf(Number(pid));
  // If either start time is unknown, the process may be the holder.
  return startNow === "" || start === "" || startNow === start ? Number(pid) : null;
}

/** Whether a process with this id exists. */
function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * The start time, which distinguishes a process from a later one with the same id: in a restarted container, ids are
 * the same each time. @returns "" if the system does not report it
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The fields before it include the program's name, which may contain any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, start = ""] = [fields[0], fields[19]];
    return state === "Z" ? "ended" : start;
  } catch {
    return startByPs(pid);
  }
}

/** For systems without /proc. Windows has no such ps. @returns epoch ms */
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

/** @returns false if it fails with the expected error */
function hasHappened(act: () => void, expected: string): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === expected) return false;
    throw error;
  }
}

/** In a shared folder such as /tmp, a guessable name could be another user's link to one of your files. */
function asideName(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}
