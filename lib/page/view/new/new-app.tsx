import { useState } from 'preact/hooks';
import { pushLines, REPOSITORY_NAME } from '../../model/push.ts';
import { hashOf } from '../../model/route.ts';
import { repositoryAt } from '../../model/setup.ts';
import { ONLY_HERE, REPOSITORIES } from '../../service/api.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { Field, Input } from '../parts/form.tsx';
import { useTitle } from '../parts/title.ts';
import { NewToken } from '../settings/new-token.tsx';
import { Waiting } from './waiting.tsx';

/** A new application: from a folder by git push, or from a repository host by its webhook. */
export function NewApp() {
  useTitle('New application');
  return (
    <div class="page">
      <div class="title flow split wrap">
        <h1>New application</h1>
      </div>
      <Begin />
    </div>
  );
}

/** How an application begins, on this service. */
export function Begin() {
  const { user } = useWorkspace().api;
  return (
    <>
      <FromHost />
      {REPOSITORIES === null ? (
        <Waiting what="the first call" isWebhook />
      ) : (
        <FromFolder host={REPOSITORIES} user={user} />
      )}
    </>
  );
}

function FromFolder({ host, user }: { host: string; user: string }) {
  const [name, setName] = useState('my-app');
  return (
    <section class="begin card panel stack" aria-labelledby="push">
      <h2 id="push">Push from your folder</h2>
      <div class="short">
        <Field
          label="Name of the repository"
          value={name}
          required
          pattern={REPOSITORY_NAME}
          onText={(text) => text !== '' && setName(text)}
        />
      </div>
      <CodeBlock name="Lines for a terminal" text={pushLines({ host, user, name })} />
      <p class="muted">
        Run them in the folder with your <code>package.json</code>, whose <code>name</code> the application gets. The
        first is for a folder that is not a git repository yet. The push creates the repository here; git asks for the
        password of {user}.
      </p>
      <details>
        <summary>An API token in place of the password</summary>
        <NewToken suggested={`git-${name}`} onMade={() => {}} />
      </details>
      <Waiting what="the first push" />
    </section>
  );
}

function FromHost() {
  const { user } = useWorkspace().api;
  const [address, setAddress] = useState('');
  const at = repositoryAt(address);
  const connect = (event: SubmitEvent) => {
    event.preventDefault();
    if (at || address === '') location.hash = hashOf({ user, view: 'connect', query: { ...at } });
  };
  return (
    <section class="begin card panel stack" aria-labelledby="connect-first">
      <h2 id="connect-first">Connect a repository</h2>
      <p class="muted">
        Paste its address at GitHub, GitLab, Bitbucket, Gitea or Forgejo: it is deployed, and again with each push
        there.
        {ONLY_HERE && (
          <>
            {' '}
            For these calls the service needs a <code>PUBLIC_URL</code>: its address is known on this machine only.
          </>
        )}
      </p>
      <form class="fields flow" onSubmit={connect}>
        <Input
          aria-label="Address of the repository"
          placeholder="https://github.com/owner/repository"
          onText={setAddress}
        />
        <button type="submit" class="primary" disabled={address !== '' && !at}>
          Connect
        </button>
      </form>
    </section>
  );
}
