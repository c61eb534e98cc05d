import { render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import './style/controls.css';
import './style/shell.css';
import './style/deploys.css';
import './style/deploy.css';
import './style/apps.css';
import { Page } from './view/page.tsx';

const root = document.getElementById('page');
if (root) {
  root.replaceChildren();
  render(<Page />, root);
}
