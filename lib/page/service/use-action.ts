import { useState } from 'preact/hooks';
import type { Entry } from '../../client/entry.ts';
import { inWords } from './api.ts';
import { useWorkspace } from './workspace.ts';

export type Action = ReturnType<typeof useAction>;

/**
 * Returns an action of a user: whether it runs and, in the given words, why it failed. `run` does one work at a time, and
 * resolves with whether it succeeded.
 */
export function useAction(words = inWords) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  return {
    isBusy,
    failure,
    run: async (work: () => Promise<unknown>) => {
      if (isBusy) return false;
      setBusy(true);
      setFailure(null);
      try {
        await work();
        return true;
      } catch (error) {
        setFailure(words(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

/** Returns the action of a form, and what its submission does: the work with its fields, which are emptied after it. */
export function useForm(work: (fields: FormData) => Promise<unknown>) {
  const action = useAction();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    if (await action.run(() => work(fields))) form.reset();
  };
  return { action, submit: (event: SubmitEvent) => void submit(event) };
}

/** Returns a function that posts an operation on an application and shows the entry that records it. */
export function useOperation() {
  const workspace = useWorkspace();
  return async (app: string, operation: string, query: Readonly<Record<string, string>> = {}) => {
    const path = ['apps', workspace.api.user, app];
    const what = operation === 'remove' ? { method: 'DELETE', path } : { method: 'POST', path: [...path, operation] };
    const entry = await workspace.api.call<Entry>({ ...what, query });
    workspace.add(entry);
    workspace.accepted.set(entry);
    return entry;
  };
}
