// The entry of `/embed/`, the page that other sites have in a frame.
import { offerShells } from './shared-shells.ts';

// That which runs the shells of all others is not shown, and loads nothing else.
if (location.hash === '#worker') offerShells();
else void import('./open-frame.ts').then(({ openFrame }) => openFrame());
