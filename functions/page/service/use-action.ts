import { useState } from 'preact/hooks';
import type { Entry } from '../../../lib/client/entry.ts';
import { inWords } from './api.ts';
import { useWorkspace } from './workspace.ts';

export interface Action {
  readonly isBusy: boolean;
  /** Why it failed; null while it has not. */
  readonly failure: string | null;
  /** Runs the work once at a time, and resolves with whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** Returns an action: whether it runs and, in the given words, why it failed. */
export function useAction(words = inWords): Action {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  return {
    isBusy,
    failure,
    run: async (work) => {
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
export function useForm(work: (fields: FormData) => Promise<unknown>): {
  readonly action: Action;
  readonly submit: (event: SubmitEvent) => void;
} {
  const action = useAction();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    if (await action.run(() => work(fields))) form.reset();
  };
  return { action, submit: (event) => void submit(event) };
}

/** Returns a function that posts an operation on an application and shows the entry that records it. */
export function useOperation(): (
  app: string,
  operation: string,
  query?: Readonly<Record<string, string>>,
) => Promise<Entry> {
  const workspace = useWorkspace();
  return async (app, operation, query = {}) => {
    const path = ['apps', workspace.api.user, app];
    const what = operation === 'remove' ? { method: 'DELETE', path } : { method: 'POST', path: [...path, operation] };
    const entry = await workspace.api.call<Entry>({ ...what, query });
    workspace.add(entry);
    workspace.accepted.set(entry);
    return entry;
  };
}
