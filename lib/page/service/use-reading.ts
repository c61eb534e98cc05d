import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../../client/client.ts';
import { inWords } from './api.ts';
import { useWorkspace } from './workspace.ts';

/**
 * Reads what a view shows: at first, when the key changes, and after a failure as soon as the service answers again.
 * Returns why it could not be read; null while it can.
 */
export function useReading(read: () => Promise<unknown>, key = '', words = inWords): string | null {
  const { connection } = useWorkspace();
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let isShown = true;
    let hasFailed = false;
    const attempt = () => {
      hasFailed = false;
      const ended = (error: unknown) => {
        hasFailed = error !== null;
        if (isShown) setFailure(error === null ? null : words(error));
      };
      void read().then(() => ended(null), ended);
    };
    const again = () => {
      if (hasFailed && ['live', 'slow'].includes(connection.value)) attempt();
    };
    const unfollow = connection.follow(again);
    setFailure(null);
    attempt();
    return () => {
      isShown = false;
      unfollow();
    };
  }, [key]);
  return failure;
}

/**
 * Asks for what changes without a signal, at once and then every `everyMs` while the page is shown; not without a key. Ends
 * when another attempt would be refused as well. Other failures are shown by the bar.
 */
export function usePolling(everyMs: number, key: string | null, ask: () => Promise<void>): void {
  useEffect(() => {
    if (key === null) return;
    const attempt = () => {
      if (document.visibilityState === 'hidden') return;
      void ask().catch((error) => {
        if (error instanceof Problem && !error.isPassing) clearInterval(timer);
      });
    };
    const timer = setInterval(attempt, everyMs);
    attempt();
    return () => clearInterval(timer);
  }, [key]);
}
