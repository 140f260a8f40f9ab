// The .gitignore that quern init writes: files of a running server and of npm, and files with secrets.

export const firstGitignore = `node_modules/
dist/
*.log

# The store of quern dev and quern start.
data/

# Tokens and keys belong in the environment.
.env
.env.*
!.env.example
*.token
*.pem
`;
