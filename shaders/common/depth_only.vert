// Depth of any list that has a position.
#include "sets.glsl"

in vec3 in_position;

invariant gl_Position;

void main() {
    gl_Position = view.view_projection * vec4(in_position, 1.0);
}
