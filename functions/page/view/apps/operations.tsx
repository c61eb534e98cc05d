import { useState } from 'preact/hooks';
import type { Application } from '../../../../lib/client/applications.ts';
import { numberOf } from '../../../../lib/client/entry.ts';
import { safeUrl } from '../../model/links.ts';
import { hashOf } from '../../model/route.ts';
import { useAction, useOperation } from '../../service/use-action.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Open } from '../parts/open.tsx';

interface Question {
  readonly operation: string;
  readonly verb: string;
  readonly says: string;
  readonly isDangerous?: true;
}

const RESTART: Question = {
  operation: 'restart',
  verb: 'Restart',
  says: 'It starts what the application runs again, with the current variables. The old process answers until the new one does.',
};
const STOP: Question = {
  operation: 'stop',
  verb: 'Stop',
  says: 'It stops answering until it is restarted or deployed again. Deploys under way are superseded.',
};
const ROLL_BACK: Question = {
  operation: 'rollback',
  verb: 'Roll back',
  says: 'It starts the snapshot of the deploy before again; the repository stays as it is. The next push deploys as usual.',
};
const REMOVE: Question = {
  operation: 'remove',
  verb: 'Remove',
  says: 'The application, its files and its variables are deleted, and its name is free again. Its deploys stay in the log.',
  isDangerous: true,
};

/** The operations on an application. Each asks for confirmation, and is recorded as an entry. */
export function Operations({ app }: { app: Application }) {
  const [asked, setAsked] = useState<Question | null>(null);
  const action = useAction();
  const operate = useOperation();
  const { api } = useWorkspace();
  const url = app.state === 'running' ? safeUrl(app.url) : null;
  const confirm = (question: Question) => {
    void action.run(async () => {
      await operate(app.name, question.operation);
      setAsked(null);
      if (question.operation === 'remove') location.hash = hashOf({ user: api.user, view: 'apps' });
    });
  };
  const before = app.rollback[0];
  const has = app.state !== 'never';
  return (
    <div class="buttons next">
      <Open url={url} />
      {has && <Ask question={RESTART} onAsk={setAsked} />}
      {app.state === 'running' && <Ask question={STOP} onAsk={setAsked} />}
      {before && (
        <button type="button" onClick={() => setAsked(ROLL_BACK)}>
          Roll back to #{numberOf(before)}
        </button>
      )}
      <Ask question={REMOVE} onAsk={setAsked} />
      {asked && (
        <Confirm
          title={`${asked.verb} ${app.name}?`}
          verb={asked.verb}
          isDangerous={asked.isDangerous ?? false}
          action={action}
          onConfirm={() => confirm(asked)}
          onClose={() => setAsked(null)}
        >
          {asked.says}
        </Confirm>
      )}
    </div>
  );
}

function Ask({ question, onAsk }: { question: Question; onAsk: (question: Question) => void }) {
  return (
    <button type="button" class={question.isDangerous ? 'danger-text' : ''} onClick={() => onAsk(question)}>
      {question.verb}
    </button>
  );
}
