// Starts the console in the page.

import { render } from "preact";
import { App } from "./app.tsx";
import "./style.css";

const root = document.getElementById("console");
if (root) render(<App />, root);
