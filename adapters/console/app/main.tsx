// Starts the console in the page.

import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import { App } from "./app.tsx";
import "./style.css";

const root = document.getElementById("console");
if (root) render(<App />, root);
