/** Not the events of the file system: they differ between systems, and a repository is not a single event. */
const INTERVAL_MS = 2000;

/** Looks for new repositories every two seconds; `stop` resolves when no look is under way. */
export function watchFolders(look: () => Promise<void>, log: (line: string) => void): { stop(): Promise<void> } {
  let current = Promise.resolve();
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    current = look()
      .catch((error: unknown) => log(`The folder of the repositories cannot be read: ${String(error)}`))
      .finally(() => {
        looking = false;
      });
  }, INTERVAL_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
