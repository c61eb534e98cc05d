import { useTitle } from '../parts/title.ts';
import { Pairings } from './pairings.tsx';
import { Tokens } from './tokens.tsx';

/** The logins of the user: API tokens of the service, and tokens of repository hosts. */
export function Settings() {
  useTitle('Settings');
  return (
    <div class="page">
      <div class="title">
        <h1>Settings</h1>
      </div>
      <Tokens />
      <Pairings />
    </div>
  );
}
