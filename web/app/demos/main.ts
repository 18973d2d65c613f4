// The page of demos: it is there without this, which adds the colours that were chosen on the main page.
import { applyTheme } from '../apply-theme.ts';

applyTheme();
