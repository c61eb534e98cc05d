import { type Application, answers } from '../../../client/applications.ts';
import { hasEnded } from '../../../client/entry.ts';
import { safeUrl } from '../../model/links.ts';
import { newestOf } from '../../model/log.ts';
import { hashOf } from '../../model/route.ts';
import { useStore } from '../../service/store.ts';
import { useOperation } from '../../service/use-action.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Cancel, RollBack } from '../deploy/next.tsx';
import { Ask } from '../parts/ask.tsx';
import { Open } from '../parts/link.tsx';

interface Question {
  readonly operation: string;
  readonly verb: string;
  readonly effect: string;
  readonly isDangerous?: true;
}

const RESTART: Question = {
  operation: 'restart',
  verb: 'Restart',
  effect:
    'It starts what the application runs again, with the current variables. The old process answers until the new one does.',
};
const STOP: Question = {
  operation: 'stop',
  verb: 'Stop',
  effect: 'It stops answering until it is restarted or deployed again. Deploys under way are superseded.',
};
const REMOVE: Question = {
  operation: 'remove',
  verb: 'Remove',
  effect:
    'The application, its files and its variables are deleted, and its name is free again. Its deploys stay in the log.',
  isDangerous: true,
};

const REDEPLOY: Question = {
  operation: 'redeploy',
  verb: 'Redeploy',
  effect:
    'It builds and starts the commit of the newest deploy once more, without waiting for CI. What is live answers until then.',
};

/** The operations on an application. Each asks for confirmation, and is recorded as an entry. */
export function Operations({ app }: { app: Application }) {
  const { log } = useWorkspace();
  const url = answers(app) ? safeUrl(app.url) : null;
  const unfinished = newestOf(useStore(log), app.name);
  const operate = useOperation();
  const has = app.state !== 'never';
  return (
    <div class="buttons next">
      <Open url={url} />
      {unfinished && !hasEnded(unfinished) && <Cancel entry={unfinished} />}
      {app.repository && <Operation app={app} question={REDEPLOY} />}
      {has && <Operation app={app} question={RESTART} />}
      {(answers(app) || ['starting', 'restarting'].includes(app.state)) && <Operation app={app} question={STOP} />}
      <RollBack app={app} to={app.rollback[0]} operate={operate} />
    </div>
  );
}

export function Remove({ app }: { app: Application }) {
  const { user } = useWorkspace().api;
  const leave = () => {
    location.hash = hashOf({ user, view: 'apps' });
  };
  return <Operation app={app} question={REMOVE} words={`Remove ${app.name}`} onDone={leave} />;
}

interface OperationProps {
  readonly app: Application;
  readonly question: Question;
  /** On the button, where that is not the verb. */
  readonly words?: string;
  readonly onDone?: () => void;
}

function Operation({ app, question, words, onDone }: OperationProps) {
  const { operation, verb, ...asked } = question;
  const operate = useOperation();
  return (
    <Ask title={`${verb} ${app.name}?`} verb={verb} {...asked} work={() => operate(app.name, operation).then(onDone)}>
      {words ?? verb}
    </Ask>
  );
}
